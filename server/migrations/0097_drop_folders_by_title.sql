-- migrate:up transaction:false

-- Replaced by folders_in_natural_order.
drop index concurrently if exists folders_by_title;

-- migrate:down
