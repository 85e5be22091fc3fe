// settings of the whole program
#pragma once
#define FIRST 0
