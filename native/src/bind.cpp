#include "array.hpp"

namespace mercer::bind {
void bind_counts(nb::module_&);
void bind_moments(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_tree(nb::module_&);
}  // namespace mercer::bind

NB_MODULE(MERCER_MODULE, m) {
    m.doc() = "The compiled half of mercer; see mercer._core.reference for what each function means.";
    mercer::bind::bind_counts(m);
    mercer::bind::bind_moments(m);
    mercer::bind::bind_neighbours(m);
    mercer::bind::bind_tree(m);
}
