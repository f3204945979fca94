-- migrate:up

-- The organizations that a person belongs to, with the defaults for uploads, which also members without the scope
-- `organization:read` need before they upload. Memberships that have expired and organizations that have been moved
-- away or are being deleted are left out: the API refuses requests to them.
drop function people.memberships_of(text, text);
create function people.memberships_of(by_issuer text, by_subject text)
returns table (
  organization_id text, organization_name text, member_id uuid, role text, custom_role_name text, scopes text[],
  folder_uuid text, name text, email text, default_resolutions text[], default_content_protection_type text
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select member.organization_id, organization.name, member.id, member.role, custom.name, principal.scopes,
    principal.folder_uuid, principal.name, member.email, organization.default_resolutions,
    organization.content_protection_type
  from public.members as member
  join public.tokens as principal
    on principal.organization_id = member.organization_id and principal.id = member.id
  join public.organizations as organization on organization.id = member.organization_id
  left join public.roles as custom
    on custom.organization_id = member.organization_id and custom.id::text = member.role
  where member.issuer = by_issuer and member.subject = by_subject and member.removed_at is null
    and principal.revoked_at is null and (principal.expires_at is null or principal.expires_at > now())
    and not exists (
      select from public.held_organizations as held
      where held.organization_id = member.organization_id and held.is_gone)
  order by organization.name, organization.id limit 1000
$$;
revoke execute on function people.memberships_of(text, text) from public;
grant execute on function people.memberships_of(text, text) to reelkeep_api;

-- migrate:down
