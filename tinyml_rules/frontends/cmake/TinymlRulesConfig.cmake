# A .tflite model as a library of the project, and its test:
#
#   find_package(TinymlRules REQUIRED NO_CMAKE_FIND_ROOT_PATH)
#   tinyml_add_model(sine MODEL models/sine.tflite TARGET atmega328)
#   target_link_libraries(firmware PRIVATE sine)
#
# The project keeps its toolchain, its flags and its startup code.

cmake_policy(VERSION 3.20...3.31)

# The compiler: that of the checkout in which this file lies, or else the program that pip installed,
# which knows its own Python.  Its prefix is three folders up from share/cmake/TinymlRules and six
# from inside the package.
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../../../pyproject.toml")
  include(CMakeFindDependencyMacro)
  find_dependency(Python3 3.11 COMPONENTS Interpreter)
  get_filename_component(TinymlRules_CHECKOUT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set(TinymlRules_COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${TinymlRules_CHECKOUT}"
    "${Python3_EXECUTABLE}" -m tinyml_rules CACHE INTERNAL "What compiles a model")
else()
  find_program(TinymlRules_PROGRAM tinyml_rules
    HINTS "${CMAKE_CURRENT_LIST_DIR}/../../.." "${CMAKE_CURRENT_LIST_DIR}/../../../../../.."
    PATH_SUFFIXES bin Scripts
    NO_CMAKE_FIND_ROOT_PATH)
  set(TinymlRules_COMMAND "${TinymlRules_PROGRAM}" CACHE INTERNAL "What compiles a model")
endif()

execute_process(COMMAND ${TinymlRules_COMMAND} --version
  RESULT_VARIABLE TinymlRules_STATUS OUTPUT_QUIET ERROR_VARIABLE TinymlRules_ERROR)
if(NOT TinymlRules_STATUS EQUAL 0)
  string(JOIN " " TinymlRules_NOT_FOUND_MESSAGE "The compiler does not run:" ${TinymlRules_COMMAND}
    "--version: ${TinymlRules_STATUS}\n${TinymlRules_ERROR}")
  set(TinymlRules_FOUND FALSE)
  return()
endif()

# tinyml_add_model(<name> MODEL <file.tflite> TARGET <target>
#   [PREFIX <prefix>] [SCHEDULE auto|layer|stream] [RAM <bytes>] [PUSH_ROWS] [CHECKED]
#   [ARENA static|caller|shared] [PLACE <tensor>=<region>...]
#   [WEIGHTS flash|external] [PAGE <bytes>] [OPERATORS <folder>...] [TARGETS <folder>...]
#   [SENSOR <file.toml>])
#
# A static library <name> of the generated <prefix>.c; whoever links it can include <prefix>.h.
# PREFIX, that of every C symbol, is <name> unless it is given.
function(tinyml_add_model name)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TinymlRulesOptions.cmake")
  cmake_parse_arguments(PARSE_ARGV 1 arg "${TinymlRules_SWITCHES}"
    "MODEL;TARGET;PREFIX;${TinymlRules_WORDS}" "TARGETS;${TinymlRules_LISTS};${TinymlRules_PATHS}")
  _tinyml_check_arguments("tinyml_add_model(${name})" MODEL TARGET)
  if(TARGET ${name})
    message(FATAL_ERROR "tinyml_add_model(${name}): error: there is a target '${name}' already\n  "
      "hint: the first word names the library and the C symbols, whatever the file is called")
  endif()
  if(NOT DEFINED arg_PREFIX)
    string(MAKE_C_IDENTIFIER "${name}" arg_PREFIX)
  endif()
  get_filename_component(model "${arg_MODEL}" ABSOLUTE)

  set(options --spelling cmake --target "${arg_TARGET}" --name "${arg_PREFIX}")
  foreach(word IN LISTS TinymlRules_WORDS TinymlRules_LISTS TinymlRules_SWITCHES)
    string(TOLOWER "--${word}" option)
    string(REPLACE "_" "-" option "${option}")
    if(word IN_LIST TinymlRules_SWITCHES)
      if(arg_${word})
        list(APPEND options "${option}")
      endif()
    elseif(word IN_LIST TinymlRules_LISTS)
      foreach(value IN LISTS arg_${word})
        list(APPEND options "${option}" "${value}")
      endforeach()
    elseif(DEFINED arg_${word})
      list(APPEND options "${option}" "${arg_${word}}")
    endif()
  endforeach()
  foreach(word IN ITEMS TARGETS ${TinymlRules_PATHS})
    string(TOLOWER "--${word}" option)
    foreach(path IN LISTS arg_${word})
      get_filename_component(path "${path}" ABSOLUTE)
      list(APPEND options "${option}" "${path}")
    endforeach()
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tinyml/${name}")
  set(stem "${folder}/${arg_PREFIX}")
  _tinyml_options_file("${model}" options_file weights)
  if(DEFINED arg_WEIGHTS)
    set(weights "${arg_WEIGHTS}")
  endif()
  set(files ${TinymlRules_OUTPUTS})
  if(weights STREQUAL "external")
    list(APPEND files ${TinymlRules_EXTERNAL_OUTPUTS})
  endif()
  list(TRANSFORM files PREPEND "${stem}")

  # Makefiles do not see that a command is another one; a file with its options does.
  file(GENERATE OUTPUT "${stem}.settings" CONTENT "${TinymlRules_COMMAND};${options};${options_file}\n")

  # The stamp is new after every compilation and the files only where their bytes are, so that what
  # includes the header is not built again.  That asks for a target of its own (see CMP0058).
  add_custom_command(
    OUTPUT "${stem}.stamp"
    BYPRODUCTS ${files}
    COMMAND ${TinymlRules_COMMAND} compile "${model}" ${options} --out "${folder}" --line
      --stamp "${stem}.stamp" --depfile "${stem}.d"
    DEPENDS "${model}" ${options_file} "${stem}.settings"
    DEPFILE "${stem}.d"
    COMMENT "Compiling model ${name} for ${arg_TARGET}"
    VERBATIM)
  add_custom_target(${name}_tinyml DEPENDS "${stem}.stamp")

  add_library(${name} STATIC "${stem}.c" "${stem}.h")
  add_dependencies(${name} ${name}_tinyml)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_compile_features(${name} PRIVATE c_std_11)
  set_target_properties(${name} PROPERTIES
    C_EXTENSIONS ON  # AVR's __flash is one
    TINYML_MODEL "${model}"
    TINYML_OPTIONS "${options}"
    TINYML_FOLDER "${folder}")
endfunction()

# The file of options beside a model, empty where there is none, and what it says of the weights,
# with which there is one output more.  CMake looks again before each build.
function(_tinyml_options_file model file weights)
  get_filename_component(folder "${model}" DIRECTORY)
  get_filename_component(stem "${model}" NAME_WLE)
  file(GLOB found CONFIGURE_DEPENDS "${folder}/${stem}.tinyml.toml")
  set(${file} "${found}" PARENT_SCOPE)
  set(${weights} "" PARENT_SCOPE)
  if(found)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${found}")
    file(STRINGS "${found}" line REGEX "^[ \t]*[\"']?weights[\"']?[ \t]*=[ \t]*[\"']external[\"']")
    if(line)
      set(${weights} "external" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# tinyml_print_size(<executable> TARGET <target> [TARGETS <folder>...])
#
# Prints, behind each link of the executable, what it takes of the part's flash and RAM.
function(tinyml_print_size executable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "TARGETS")
  _tinyml_check_arguments("tinyml_print_size(${executable})" TARGET)
  set(options --target "${arg_TARGET}")
  foreach(folder IN LISTS arg_TARGETS)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND options --targets "${folder}")
  endforeach()
  add_custom_command(TARGET "${executable}" POST_BUILD
    COMMAND ${TinymlRules_COMMAND} measure "$<TARGET_FILE:${executable}>" ${options}
    VERBATIM)
endfunction()

# tinyml_add_test(<name> MODEL <name of tinyml_add_model> VECTORS <file.npz>)
#
# A test for ctest: the model on its target's emulator, with the inputs that the file holds by
# tensor name; it passes if every byte of the outputs is as the file has it.
function(tinyml_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODEL;VECTORS" "")
  _tinyml_check_arguments("tinyml_add_test(${name})" MODEL VECTORS)
  if(NOT TARGET ${arg_MODEL}_tinyml)
    message(FATAL_ERROR
      "tinyml_add_test(${name}): error: '${arg_MODEL}' is not made by tinyml_add_model")
  endif()
  get_target_property(model ${arg_MODEL} TINYML_MODEL)
  get_target_property(options ${arg_MODEL} TINYML_OPTIONS)
  get_filename_component(vectors "${arg_VECTORS}" ABSOLUTE)
  add_test(NAME ${name}
    COMMAND ${TinymlRules_COMMAND} test "${model}" ${options} --vectors "${vectors}")
endfunction()

# Ends with an error where a word is unknown, has no value, or is not there although it has to be.
macro(_tinyml_check_arguments where)
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${where}: error: unknown '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${where}: error: no value for ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  foreach(word IN ITEMS ${ARGN})
    if(NOT DEFINED arg_${word})
      set(hint "")
      if(word STREQUAL "TARGET")
        _tinyml_likely_targets(hint)
      endif()
      message(FATAL_ERROR "${where}: error: lacks ${word}${hint}")
    endif()
  endforeach()
endmacro()

# The targets that the project's compiler and flags are for, as the hint of an error.
function(_tinyml_likely_targets hint)
  get_directory_property(flags COMPILE_OPTIONS)
  list(JOIN flags " " flags)
  execute_process(
    COMMAND ${TinymlRules_COMMAND} targets
      --for-compiler "${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_TARGET} ${CMAKE_C_FLAGS} ${flags}"
    OUTPUT_VARIABLE targets OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(targets)
    string(REPLACE "\n" " or TARGET " targets "${targets}")
    set(${hint} "\n  hint: write TARGET ${targets}" PARENT_SCOPE)
  elseif(NOT CMAKE_CROSSCOMPILING)
    set(${hint} "\n  hint: for this computer write TARGET host" PARENT_SCOPE)
  endif()
endfunction()
