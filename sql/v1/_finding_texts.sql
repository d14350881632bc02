-- One row per finding: what findings says of it. {value}, {subject} and {threshold} are filled in.
CREATE VIEW _finding_texts AS
SELECT finding, evidence, try_next, evidence_view
FROM (
  VALUES
    ('poor_capture',
      'the capture is not fit for conclusions: {subject}',
      'mend the capture first; the remedies are in capture_quality', 'capture_quality'),
    ('communication_heavy',
      'communication is {value} of op self time; its hottest op is {subject}',
      'more work per device and step, another sharding, or gradients in bfloat16', 'collectives'),
    ('exposed_collectives',
      'for {value} of the window communication runs and no compute does; most of it in {subject}',
      'XLA_FLAGS=--xla_tpu_enable_latency_hiding_scheduler=true (TPU) or '
      || '--xla_gpu_enable_latency_hiding_scheduler=true (GPU); prefetch the next layer''s weights', 'collectives'),
    ('stalled',
      'devices are idle or synchronise for {value} of the window',
      'look for the input pipeline or the host in host_bound, and for the ops that wait in pre_op_gaps',
      'time_breakdown'),
    ('host_bound',
      'devices wait for the host for {value} of the window; it is busiest in {subject}',
      'do not block on results inside the loop, load data ahead, and put several steps into one jax.lax.scan',
      'host_bound'),
    ('hot_op',
      '{subject} alone is {value} of op self time',
      'look at its source line, shape and roofline; another algorithm, layout or kernel may pay', 'hot_ops'),
    ('gap_before_op',
      'devices stand idle right before {subject} for {value} of the window',
      'see what runs before it in gap_regions, and whether the host dispatches it late', 'pre_op_gaps'),
    ('step_jitter',
      'the 90th percentile of the step time is {value} of the median',
      'compare a slow step with a usual one in time_breakdown; capture more steps', 'step_time'),
    ('recompute_heavy',
      'computing activations again takes {value} of op self time; most of it in {subject}',
      'a jax.checkpoint policy that saves more, for example dots_with_no_batch_dims_saveable', 'regions'),
    ('memory_bound_ops',
      'ops bound by memory are {value} of op self time; the hottest is {subject}',
      'fuse them, keep activations in bfloat16, or choose a layout without transpositions', 'roofline'),
    ('no_dominant_bottleneck',
      'no single dominant bottleneck: every share stays below its threshold',
      'profdb compare with an earlier run tells what changed', 'run_summary')
) AS t(finding, evidence, try_next, evidence_view);
