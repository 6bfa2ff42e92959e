// `penumbra report --serve`: the page of a report for browsers on this machine, made anew as the
// runs go on.
#pragma once

#include <functional>
#include <string>

#include "penumbra/base/stop.h"
#include "penumbra/runs/common_options.h"
#include "penumbra/runs/report_policies.h"

namespace penumbra::cli {

constexpr int kReportPort = 8421;

// Until common.interrupted. `port` 0: any that is free; `else_any`: one that is free where it is
// taken. `ready` is told the address. Throws Error where there are no runs or it cannot be served.
void serve_report(const std::string& path, const PictureOptions& pictures,
                  const CommonOptions& common, int port, bool else_any,
                  const std::function<void(const std::string&)>& ready);

}  // namespace penumbra::cli
