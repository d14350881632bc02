-- One row per (run, op_id): an op or kernel that was executed. Facts only; meaning is in op_classes.
-- NULL: not captured; attribution_source says where scope came from.
CREATE TABLE ops (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Signed 64-bit hash of program_id, hlo_op, name and scope; equal on all hosts and runs.
  op_id BIGINT NOT NULL,
  -- Id of the compiled program.
  program_id UBIGINT,
  -- HLO instruction name.
  hlo_op VARCHAR,
  -- Name on the timeline: the kernel on GPU, the HLO instruction elsewhere.
  name VARCHAR NOT NULL,
  -- name without its numeric suffix, so that clones of one op group together.
  canonical_name VARCHAR NOT NULL,
  -- HLO opcode.
  opcode VARCHAR,
  -- For an async wrapper or a fusion of one kind: the opcode that it wraps.
  wrapped_opcode VARCHAR,
  -- Target of a custom call.
  custom_call_target VARCHAR,
  -- Whether a custom call moves data between chips, as the producer tells it.
  uses_ici BOOLEAN,
  -- HLO operand names.
  operands VARCHAR[],
  -- Replica groups of a collective, as HLO text.
  replica_groups VARCHAR,
  -- Channel of a collective.
  channel_id BIGINT,
  -- XLA's own category of the op.
  hlo_category VARCHAR,
  -- HLO module name, without the program id.
  module VARCHAR,
  -- Framework path (named scopes and primitive), for example jit(step)/jvp(layer0)/mlp/dot_general.
  scope VARCHAR,
  -- Source file of the framework op.
  source_file VARCHAR,
  -- Source line of the framework op.
  source_line BIGINT,
  -- Shape of the result, as HLO text.
  shape VARCHAR,
  -- Floating-point operations per execution. From shapes: of the dots and convolutions only.
  flops BIGINT,
  -- Where flops come from: producer or hlo_shapes.
  flops_source VARCHAR,
  -- Bytes accessed per execution. From shapes: operands and result, each moved once, which is the least.
  bytes_accessed BIGINT,
  -- Where bytes_accessed come from: producer or hlo_shapes.
  bytes_source VARCHAR,
  -- Where scope came from: event, metadata, hlo_proto or none.
  attribution_source VARCHAR NOT NULL
);
