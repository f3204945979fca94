-- migrate:up

alter table published_files
  -- When the files were last read and compared with their checksums; at first, when they were published.
  add column checked_at timestamptz not null default now(),
  -- Names of the files that were missing or had other content then. They are not served until they are repaired.
  add column damaged text[] not null default '{}',
  -- Prefix under which the latest repair stores the files again. Cleanup keeps it, and only this repair may publish.
  add column repair_prefix text collate "C";

-- migrate:down
