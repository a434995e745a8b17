#include "array.hpp"

namespace mercer::bind {
void bind_boost(nb::module_&);
void bind_codes(nb::module_&);
void bind_coordinate(nb::module_&);
void bind_counts(nb::module_&);
void bind_gram(nb::module_&);
void bind_lasso(nb::module_&);
void bind_moments(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_perceptron(nb::module_&);
void bind_text(nb::module_&);
void bind_tree(nb::module_&);
void bind_smo(nb::module_&);
}  // namespace mercer::bind

NB_MODULE(MERCER_MODULE, m) {
    m.doc() = "The compiled half of mercer; see mercer._core.reference for what each function means.";
    mercer::bind::bind_boost(m);
    mercer::bind::bind_codes(m);
    mercer::bind::bind_coordinate(m);
    mercer::bind::bind_counts(m);
    mercer::bind::bind_gram(m);
    mercer::bind::bind_lasso(m);
    mercer::bind::bind_moments(m);
    mercer::bind::bind_neighbours(m);
    mercer::bind::bind_perceptron(m);
    mercer::bind::bind_text(m);
    mercer::bind::bind_tree(m);
    mercer::bind::bind_smo(m);
    m.def("_stop_running_calls", &mercer::bind::stop_running_calls, nanobind::arg("seconds"));
    m.def("_forget_running_calls", &mercer::bind::forget_running_calls);
}
