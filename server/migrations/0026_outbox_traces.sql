-- migrate:up

-- The trace that each belongs to, as W3C Trace Context writes it; null of what is not traced.
alter table event_outbox add column traceparent text;

-- migrate:down
