-- migrate:up

-- The trace of the event in the format of W3C Trace Context; null if it is not traced.
alter table event_outbox add column traceparent text;

-- migrate:down
