-- migrate:up

-- The start of a chapter is start_seconds plus these milliseconds. Releases that know only whole seconds leave them out.
alter table chapters add column start_milliseconds smallint not null default 0
  constraint chapters_start_milliseconds_check check (start_milliseconds between 0 and 999);

-- migrate:down
