-- A delivery has the trace of the request that caused its event, so that its attempts belong to it.
-- The span that published the event, as W3C Trace Context. Null without a trace.
alter table relata.deliveries add column traceparent text;
