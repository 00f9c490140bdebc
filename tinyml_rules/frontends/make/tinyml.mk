# A .tflite model as C files of a Makefile:
#
#   include $(shell tinyml_rules where make)/tinyml.mk
#   $(call tinyml_model,sine,models/sine.tflite,atmega328)
#
# name, model, target and, if there are any, options of `tinyml_rules compile`.  Adds the model's
# files to TINYML_SOURCES, TINYML_HEADERS and TINYML_INCLUDES; how they are compiled is up to you.

ifneq ($(filter 3.% 4.0 4.0.% 4.1 4.1.%,$(MAKE_VERSION)),)
$(error tinyml.mk: error: this is GNU make $(MAKE_VERSION), expected 4.2 or newer)
endif

tinyml_package := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)

# The compiler, and the folder in which each model has one of its own.
TINYML ?= tinyml_rules
TINYML_FOLDER ?= tinyml

tinyml_model = $(call tinyml_check,$(strip $1),$(strip $3))$(call \
  tinyml_check_path,tinyml_model,$(strip $2))$(eval $(call \
  tinyml_rule,$(strip $1),$(strip $2),--target $(strip $3 $4)))

# Name, target.
tinyml_check = $(if $2,,$(error tinyml_model: error: '$1' has no target, expected one of \
  `$(TINYML) targets` as the third argument))$(if $(filter $1,$(tinyml_names)),$(error \
  tinyml_model: error: there is a model '$1' already; the first argument names the C \
  symbols, whatever the file is called))$(eval tinyml_names += $1)

# A path has to be one word, of Make and of the shell: whose argument it is, and the path.
tinyml_special = " ' ` $$ & ; \# ( ) < > | * ? [ ] \ % :
tinyml_check_path = $(if $(word 2,$2)$(strip $(foreach each,$(tinyml_special),$(findstring \
  $(each),$2))),$(error $1: error: '$2' is no path for Make, expected one without blanks and \
  $(tinyml_special)))

# A float model and samples of its inputs as a full-integer model: name, model, calibration data (empty
# where the file has all ranges) and, if there are any, options of `tinyml_rules quantize`; and the file
# that it becomes, by its name.
tinyml_quantize = $(call tinyml_check_path,tinyml_quantize,$(strip $2))$(call \
  tinyml_check_path,tinyml_quantize,$(strip $3))$(eval $(call \
  tinyml_quantize_rule,$(strip $1),$(strip $2),$(strip $3),$(strip $4)))
tinyml_quantized = $(TINYML_FOLDER)/$1/$1.tflite

# Labelled vectors for a model of tinyml_model, which is not compiled if it is worse on them than the
# options of `tinyml_rules accuracy` ask for: its name, vectors, options.
tinyml_accuracy = $(if $(tinyml_model_of_$(strip $1)),,$(error tinyml_accuracy: error: there is no \
  model '$(strip $1)', expected one of tinyml_model above))$(eval $(call \
  tinyml_accuracy_rule,$(strip $1),$(tinyml_model_of_$(strip $1)),$(strip $2),$(strip \
  $3 $(tinyml_options_of_$(strip $1)))))

# In the recipe that links a firmware: what the file $1 takes of the target $2.
tinyml_size = $(TINYML) measure $1 --target $2

# The file of options next to the model $2, if there is one, and whether the weights are external:
# as the options $3 have it, else as that file does.
tinyml_options = $(wildcard $(basename $2).tinyml.toml)
tinyml_is_external = $(or $(findstring external,$3),$(if $(findstring --weights,$3),,$(if \
  $(tinyml_options),$(shell sed -n $(tinyml_external) $(tinyml_options)))))
tinyml_external = 's/^[[:blank:]"]*weights[[:blank:]"]*=[[:blank:]]*["'\'']\(external\)["'\''].*/\1/p'

# The stem of the generated files, and all of them, of the model $1 with the options $3.
tinyml_stem = $(TINYML_FOLDER)/$1/$1
tinyml_suffixes = .c .h .report.json .memory.svg $(if $(tinyml_is_external),.weights.bin)
tinyml_files = $(addprefix $(tinyml_stem),$(tinyml_suffixes))

# GNU make keeps the last newline of a file that it reads, where its buffer had to move for the text (seen
# with 4.3), and a condition ends there: what is read is stripped, and so is what it is compared with.

# Not empty where the files $2 hold something else than when $1 was written: a model that is moved here
# may be older than what was made of the one before.
tinyml_changed = $(filter-out $(file <$1),$(shell $(call tinyml_sum,$2) 2>/dev/null))
tinyml_sum = cat $1 | cksum | tr ' ' -

# Read the depfile $1, and say of the compiler's own files, of which there are a thousand, that nothing
# makes them: Make would try each of its built-in rules on each.  What is said twice gets a warning.
define tinyml_read
-include $1
$$(eval tinyml_new := $$(filter-out %: $$(tinyml_own),$$(filter $$(tinyml_package)/%,$$(file <$1))))
$$(tinyml_new): ;
tinyml_own += $$(tinyml_new)
endef

# Name, model, options.  The stamp is new after every compilation and the files only where their
# bytes are, so that what is made of them is not made again.  The settings are new when the options
# are other ones, when a file has disappeared, or when the model is another one, even an older one.
define tinyml_rule
tinyml_goal := $(.DEFAULT_GOAL)
tinyml_model_of_$1 := $2
tinyml_options_of_$1 := $3

TINYML_SOURCES += $(tinyml_stem).c
TINYML_HEADERS += $(tinyml_stem).h
TINYML_INCLUDES += -I$(TINYML_FOLDER)/$1
TINYML_CLEAN += $(tinyml_files) $(addprefix $(tinyml_stem),.settings .sum .stamp .stamp.d .o .d .su)

ifneq ($(strip $(file <$(tinyml_stem).settings) $(wildcard $(tinyml_files))$(call \
  tinyml_changed,$(tinyml_stem).sum,$2 $(tinyml_options))),$(strip \
  $2 $3 $(tinyml_options) $(tinyml_files)))
$$(shell mkdir -p $(TINYML_FOLDER)/$1)
$$(file >$(tinyml_stem).settings,$2 $3 $(tinyml_options))
endif

$(tinyml_stem).stamp: $2 $(tinyml_options) $(tinyml_stem).settings
	@$(call tinyml_sum,$2 $(tinyml_options)) >$(tinyml_stem).sum
	$(TINYML) compile $2 $3 --name $1 --out $$(@D) --line --stamp $$@ --depfile $$@.d
$(tinyml_files): $(tinyml_stem).stamp ;
$(call tinyml_read,$(tinyml_stem).stamp.d)

.DEFAULT_GOAL := $$(tinyml_goal)
endef

# Name, float model, calibration data, options.
define tinyml_quantize_rule
tinyml_goal := $(.DEFAULT_GOAL)

TINYML_CLEAN += $(tinyml_quantized) $(addprefix $(tinyml_stem),.tflite.settings .tflite.sum .tflite.d .quantize.json)

ifneq ($(strip $(file <$(tinyml_stem).tflite.settings)$(call \
  tinyml_changed,$(tinyml_stem).tflite.sum,$2 $3)),$(strip $2 $3 $4))
$$(shell mkdir -p $(TINYML_FOLDER)/$1)
$$(file >$(tinyml_stem).tflite.settings,$2 $3 $4)
endif

$(tinyml_quantized): $2 $3 $(tinyml_stem).tflite.settings
	@$(call tinyml_sum,$2 $3) >$(tinyml_stem).tflite.sum
	$(TINYML) quantize $2 $(if $3,--calibration $3) $4 --out $$@ --report $(tinyml_stem).quantize.json --depfile $$@.d
$(call tinyml_read,$(tinyml_quantized).d)

.DEFAULT_GOAL := $$(tinyml_goal)
endef

# Name, model, vectors, options.  The C waits for it, and is not made again by it.
define tinyml_accuracy_rule
tinyml_goal := $(.DEFAULT_GOAL)

TINYML_CLEAN += $(addprefix $(tinyml_stem),.accuracy.json .accuracy.settings .accuracy.sum .accuracy.json.d)

ifneq ($(strip $(file <$(tinyml_stem).accuracy.settings)$(call \
  tinyml_changed,$(tinyml_stem).accuracy.sum,$2 $3 $(tinyml_options))),$(strip $2 $3 $4))
$$(shell mkdir -p $(TINYML_FOLDER)/$1)
$$(file >$(tinyml_stem).accuracy.settings,$2 $3 $4)
endif

$(tinyml_stem).accuracy.json: $2 $3 $(tinyml_options) $(tinyml_stem).accuracy.settings
	@$(call tinyml_sum,$2 $3 $(tinyml_options)) >$(tinyml_stem).accuracy.sum
	$(TINYML) accuracy $2 --vectors $3 $4 --name $1 --out $$@ --depfile $$@.d
$(tinyml_stem).stamp $(tinyml_stem).c: | $(tinyml_stem).accuracy.json
$(call tinyml_read,$(tinyml_stem).accuracy.json.d)

.DEFAULT_GOAL := $$(tinyml_goal)
endef

tinyml_goal := $(.DEFAULT_GOAL)

.PHONY: tinyml-clean
tinyml-clean:
	$(RM) $(TINYML_CLEAN)
	$(if $(wildcard $(TINYML_FOLDER)),find $(TINYML_FOLDER) -depth -type d -empty -delete)

.DEFAULT_GOAL := $(tinyml_goal)
