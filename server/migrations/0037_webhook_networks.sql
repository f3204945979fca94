-- migrate:up

-- Private networks and ports that webhooks of the organization may use in addition to the public internet, such as
-- 10.1.0.0/16:8080. Set by the operator.
alter table organizations add column webhook_networks text[] not null default '{}';

alter table organizations add constraint webhook_networks_bound check (cardinality(webhook_networks) <= 50) not valid;

-- migrate:down
