-- migrate:up

-- The trace of the upload session in the format of W3C Trace Context; null if it is not traced.
alter table upload_sessions add column traceparent text;

-- migrate:down
