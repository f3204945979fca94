-- migrate:up transaction:false

drop index concurrently if exists published_files_damaged;

-- migrate:down
