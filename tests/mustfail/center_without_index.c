/* gcc: "ga_center_of_mass_takes_a_labels_index"  clang: "ga_center_of_mass_takes_a_labels_index"  g++: "ga_center_of_mass_takes_a_labels_index"  clang++: "ga_center_of_mass_takes_a_labels_index"  flags:  */
#include "gpuarr.h"
void f(ga_array *a);
void f(ga_array *a)
{
    ga_center_of_mass(a, a); /* HERE */
}
