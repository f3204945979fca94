-- migrate:up transaction:false

-- Replaced by folders_by_parent_in_natural_order.
drop index concurrently if exists folders_by_parent;

-- migrate:down
