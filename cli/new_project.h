// The files of a new project: those of examples/project, in which my-problem stands for its name.
#pragma once

namespace penumbra {

// Made by cmake/embed_text.cmake.
const char* project_cmake();
const char* project_readme();
const char* project_header();
const char* project_source();
const char* project_test();
const char* project_robot();

}  // namespace penumbra
