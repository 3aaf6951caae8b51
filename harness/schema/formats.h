// The names and versions of the formats that are written, each in this one place.
#pragma once

#include <string_view>

namespace harness {

// A JSON document says in its first two members what it is: {"format": "harness-record", "version": 1, ...}.
struct DocumentFormat {
  std::string_view name;
  int version = 1;
};

namespace formats {

inline constexpr DocumentFormat record{"harness-record"};            // harness/model/README.md
inline constexpr DocumentFormat pin{"harness-pin"};                  // likewise
inline constexpr DocumentFormat samples{"harness-samples"};          // harness/store/README.md
inline constexpr DocumentFormat worker{"harness-worker", 2};         // harness/measure/README.md
inline constexpr DocumentFormat worker_inputs{"harness-worker", 3};  // a job that states inputs
inline constexpr DocumentFormat ceilings{"harness-ceilings"};        // ceiling_cache.h
inline constexpr DocumentFormat campaign{"harness-campaign", 2};     // harness/cli/farm/campaign.h
// The others: harness/report/formats.md.
inline constexpr DocumentFormat plan{"harness-plan", 2};
inline constexpr DocumentFormat run_report{"harness-run-report", 2};
inline constexpr DocumentFormat comparison{"harness-comparison"};
inline constexpr DocumentFormat history{"harness-history"};
inline constexpr DocumentFormat bisect{"harness-bisect"};
inline constexpr DocumentFormat calibration{"harness-calibration"};
inline constexpr DocumentFormat selftest{"harness-selftest"};
inline constexpr DocumentFormat doctor{"harness-doctor"};
inline constexpr DocumentFormat explanation{"harness-explanation"};
inline constexpr DocumentFormat records{"harness-records"};
inline constexpr DocumentFormat farm{"harness-farm"};
inline constexpr DocumentFormat claims{"harness-claims"};
inline constexpr DocumentFormat tuning{"harness-tuning"};
inline constexpr DocumentFormat tuned{"harness-tuned"};  // harness/cli/tune/README.md
inline constexpr DocumentFormat table{"harness-table"};
inline constexpr DocumentFormat trace{"harness-trace"};
inline constexpr DocumentFormat affected{"harness-affected"};
inline constexpr DocumentFormat referee{"harness-referee"};
inline constexpr DocumentFormat unfinished{"harness-unfinished"};
inline constexpr DocumentFormat reports{"harness-reports"};
inline constexpr DocumentFormat page{"harness-page"};
inline constexpr DocumentFormat pages{"harness-pages"};
inline constexpr DocumentFormat claims_page{"harness-claims-page"};
inline constexpr DocumentFormat history_page{"harness-history-page"};

}  // namespace formats
}  // namespace harness
