# A .tflite model as a library of the project, and its test:
#
#   find_package(TinymlRules REQUIRED NO_CMAKE_FIND_ROOT_PATH)
#   tinyml_add_model(sine MODEL models/sine.tflite TARGET atmega328)
#   target_link_libraries(firmware PRIVATE sine)
#
# The project keeps its toolchain, its flags and its startup code.

cmake_policy(VERSION 3.20...3.31)

# The compiler: that of this file's checkout, or else the program that pip installed,
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

include("${CMAKE_CURRENT_LIST_DIR}/TinymlRulesArguments.cmake")

# tinyml_add_model(<name> MODEL <file.tflite> TARGET <target>
#   [PREFIX <prefix>] [SCHEDULE auto|layer|stream] [RAM <bytes>] [PUSH_ROWS] [CHECKED]
#   [ARENA static|caller|shared] [PLACE <tensor>=<region>...]
#   [WEIGHTS flash|external] [PAGE <bytes>] [OPERATORS <folder>...] [TARGETS <folder>...]
#   [SENSOR <file.toml>])
#
# A static library <name> of the generated <prefix>.c; a target that links it can include <prefix>.h.
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
  _tinyml_check_path("tinyml_add_model(${name})" "${model}")
  set(made_by "")
  if(TARGET "${arg_MODEL}")
    set(made_by "${arg_MODEL}")
    get_target_property(quantized ${made_by} TINYML_QUANTIZED)
    if(quantized)
      set(model "${quantized}")
    endif()
  endif()

  set(options --spelling cmake --target "${arg_TARGET}" --name "${arg_PREFIX}")
  _tinyml_append_paths(options TARGETS)
  _tinyml_append_options(options TinymlRules)

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/tinyml/${name}")
  set(stem "${folder}/${arg_PREFIX}")
  _tinyml_options_file("${model}" options_file weights)
  if(DEFINED arg_WEIGHTS)
    set(weights "${arg_WEIGHTS}")
  endif()
  _tinyml_watch(${name}_model "${model}" "${stem}.model" "${made_by}")
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
    DEPENDS "${model}" "${stem}.model" ${options_file} "${stem}.settings"
    DEPFILE "${stem}.d"
    COMMENT "Compiling model ${name} for ${arg_TARGET}"
    VERBATIM)
  add_custom_target(${name}_tinyml DEPENDS "${stem}.stamp")
  add_dependencies(${name}_tinyml ${name}_model)

  add_library(${name} STATIC "${stem}.c" "${stem}.h")
  add_dependencies(${name} ${name}_tinyml)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  target_compile_features(${name} PRIVATE c_std_11)
  set_target_properties(${name} PROPERTIES
    C_EXTENSIONS ON  # AVR's __flash is one
    TINYML_MODEL "${model}"
    TINYML_OPTIONS "${options}"
    TINYML_FOLDER "${folder}"
    TINYML_STEM "${stem}"
    TINYML_MADE_BY "${made_by}")
endfunction()

# tinyml_quantize(<name> FLOAT <file.tflite> [CALIBRATION <file.npz>]
#   [VALIDATE <file.npz>] [SENSOR <file.toml>] [SCALES free|power-of-two] [FULL_INTEGER OFF])
#
# A float model as a full-integer one: tinyml_add_model takes <name> as its MODEL.
function(tinyml_quantize name)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TinymlRulesOptions.cmake")
  cmake_parse_arguments(PARSE_ARGV 1 arg "${TinymlRules_QUANTIZE_SWITCHES}"
    "FLOAT;${TinymlRules_QUANTIZE_WORDS};${TinymlRules_QUANTIZE_TURNED_OFF};${TinymlRules_QUANTIZE_PATHS}"
    "")
  _tinyml_check_arguments("tinyml_quantize(${name})" FLOAT)
  get_filename_component(float "${arg_FLOAT}" ABSOLUTE)
  _tinyml_check_path("tinyml_quantize(${name})" "${float}")
  set(stem "${CMAKE_CURRENT_BINARY_DIR}/tinyml/${name}/${name}")
  set(options "")
  set(files "")
  _tinyml_append_options(options TinymlRules_QUANTIZE)
  _tinyml_append_files(files TinymlRules_QUANTIZE)
  file(GENERATE OUTPUT "${stem}.settings" CONTENT "${TinymlRules_COMMAND};${options}\n")
  add_custom_command(
    OUTPUT "${stem}.tflite"
    BYPRODUCTS "${stem}.quantize.json"
    COMMAND ${TinymlRules_COMMAND} quantize "${float}" ${options} --out "${stem}.tflite"
      --report "${stem}.quantize.json" --depfile "${stem}.d"
    DEPENDS "${float}" "${stem}.float" ${files} "${stem}.settings"
    DEPFILE "${stem}.d"
    COMMENT "Quantizing model ${name}"
    VERBATIM)
  add_custom_target(${name} DEPENDS "${stem}.tflite")
  _tinyml_watch(${name}_float "${float}" "${stem}.float" "")
  add_dependencies(${name} ${name}_float)
  set_target_properties(${name} PROPERTIES TINYML_QUANTIZED "${stem}.tflite")
endfunction()

# tinyml_add_accuracy(<name of tinyml_add_model> VECTORS <file.npz>
#   [MIN <share>] [MIN_SQNR <dB>] [MAX_DIFFERENCE <real>] [SCORES <tensor>] [THRESHOLD <real>])
#
# A model that is worse on labelled vectors than this is not compiled: the build ends with an error.
function(tinyml_add_accuracy name)
  include("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TinymlRulesOptions.cmake")
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "${TinymlRules_ACCURACY_WORDS};${TinymlRules_ACCURACY_PATHS}" "")
  _tinyml_check_arguments("tinyml_add_accuracy(${name})" VECTORS)
  _tinyml_check_model("tinyml_add_accuracy(${name})" ${name})
  get_target_property(model ${name} TINYML_MODEL)
  get_target_property(stem ${name} TINYML_STEM)
  get_target_property(options ${name} TINYML_OPTIONS)
  set(files "")
  _tinyml_append_options(options TinymlRules_ACCURACY)
  _tinyml_append_files(files TinymlRules_ACCURACY)
  _tinyml_options_file("${model}" options_file weights)
  file(GENERATE OUTPUT "${stem}.accuracy.settings" CONTENT "${TinymlRules_COMMAND};${options};${options_file}\n")
  add_custom_command(
    OUTPUT "${stem}.accuracy.json"
    COMMAND ${TinymlRules_COMMAND} accuracy "${model}" ${options} --out "${stem}.accuracy.json"
      --depfile "${stem}.accuracy.d"
    DEPENDS "${model}" ${files} ${options_file} "${stem}.accuracy.settings"
    DEPFILE "${stem}.accuracy.d"
    COMMENT "Judging model ${name}"
    VERBATIM)
  add_custom_target(${name}_accuracy DEPENDS "${stem}.accuracy.json")
  get_target_property(made_by ${name} TINYML_MADE_BY)
  if(made_by)
    add_dependencies(${name}_accuracy ${made_by})
  endif()
  add_dependencies(${name}_tinyml ${name}_accuracy)
endfunction()

# A target that runs in each build and keeps a copy of a model, which is new where the model is another
# one: a model that is moved here may be older than what was made of the one before.
function(_tinyml_watch name model copy made_by)
  add_custom_target(${name}
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${model}" "${copy}"
    BYPRODUCTS "${copy}"
    DEPENDS "${model}"
    COMMENT ""
    VERBATIM)
  if(made_by)
    add_dependencies(${name} ${made_by})
  endif()
endfunction()

# Ends with an error where a name is not one of tinyml_add_model.
function(_tinyml_check_model where name)
  if(NOT TARGET ${name}_tinyml)
    message(FATAL_ERROR "${where}: error: '${name}' is not made by tinyml_add_model")
  endif()
endfunction()

# The file of options next to a model, empty if there is none, and its setting of the weights,
# with which there is one output more.  CMake looks again before each build.
function(_tinyml_options_file model file weights)
  get_filename_component(folder "${model}" DIRECTORY)
  get_filename_component(stem "${model}" NAME_WLE)
  file(GLOB found CONFIGURE_DEPENDS "${folder}/${stem}.tinyml.toml")
  set(${file} "${found}" PARENT_SCOPE)
  set(${weights} "" PARENT_SCOPE)
  if(found)
    _tinyml_configure_depends("${found}")
    file(STRINGS "${found}" line REGEX "^[ \t]*[\"']?weights[\"']?[ \t]*=[ \t]*[\"']external[\"']")
    if(line)
      set(${weights} "external" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Lets CMake run again where a file changes.  Ninja would do so for ever if the file were dated in
# the future.
function(_tinyml_configure_depends file)
  set(now "${CMAKE_CURRENT_BINARY_DIR}/tinyml/now")
  file(WRITE "${now}" "")
  if("${now}" IS_NEWER_THAN "${file}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  else()
    message(WARNING "${file} is dated in the future: run CMake by hand if `weights` in it changes")
  endif()
endfunction()

# tinyml_print_size(<executable> TARGET <target> [TARGETS <folder>...])
#
# Prints, after each link of the executable, what it takes of the part's flash and RAM.
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
  _tinyml_check_model("tinyml_add_test(${name})" ${arg_MODEL})
  get_target_property(model ${arg_MODEL} TINYML_MODEL)
  get_target_property(options ${arg_MODEL} TINYML_OPTIONS)
  get_filename_component(vectors "${arg_VECTORS}" ABSOLUTE)
  add_test(NAME ${name}
    COMMAND ${TinymlRules_COMMAND} test "${model}" ${options} --vectors "${vectors}")
endfunction()
