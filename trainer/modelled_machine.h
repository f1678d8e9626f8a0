// The machine that a run gets: a profile with what the run's choices and faults change about it.
#pragma once

#include "trainer/configuration.h"
#include "trainer/virtual_box/machine_profile.h"

namespace trainer {

virtual_box::MachineProfile machine_for(virtual_box::MachineProfile profile, const Configuration& run);

}  // namespace trainer
