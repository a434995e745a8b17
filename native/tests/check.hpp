// A test is a TEST(name) { CHECK(...); } in a program of its own; main() runs them all and counts what failed.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

namespace check {

struct Test {
    const char* name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

inline bool add(const char* name, void (*run)()) {
    tests().push_back({name, run});
    return true;
}

inline void report(bool holds, const char* what, const char* file, int line) {
    if (holds) return;
    std::printf("%s:%d: %s\n", file, line, what);
    ++failures();
}

inline bool near(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance; }

}  // namespace check

#define TEST(name)                                             \
    static void name();                                        \
    static const bool name##_added = check::add(#name, &name); \
    static void name()
#define CHECK(condition) check::report((condition), #condition, __FILE__, __LINE__)

int main() {
    for (const check::Test& test : check::tests()) {
        const int before = check::failures();
        test.run();
        std::printf("%s %s\n", check::failures() == before ? "ok  " : "FAIL", test.name);
    }
    return check::failures() != 0;
}
