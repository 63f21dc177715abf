-- Jobs and imports have the trace of the request that queued them, so that the trace of their work is linked to it.
-- The span of the request, as W3C Trace Context. Null without a trace.
alter table relata.jobs add column traceparent text;
alter table relata.imports add column traceparent text;
