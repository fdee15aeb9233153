/* What `tips bench` shows, for people and as JSON. */
#ifndef TIPS_CLI_BENCH_PRINT_H
#define TIPS_CLI_BENCH_PRINT_H

#include "bench/bench_pools.h"
#include "bench/bench_step.h"

/* `latency`: how long a step takes too. */
tips_status cli_print_step(const tips_bench_step_config *config, const tips_bench_step_result *r,
                           bool latency) TIPS_MUST_CHECK;
tips_status cli_print_step_json(const tips_bench_step_config *config, const tips_bench_step_result *r,
                                bool latency, double startup_ms) TIPS_MUST_CHECK;
tips_status cli_print_pools(const tips_bench_pools_config *config, const tips_bench_pools_result *r) TIPS_MUST_CHECK;
tips_status cli_print_pools_json(const tips_bench_pools_config *config,
                                 const tips_bench_pools_result *r) TIPS_MUST_CHECK;

#endif
