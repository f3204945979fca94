import type { Superuser } from '@reelkeep/testkit'

/** Until disposed, Postgres rejects the first row that meets the condition with a statement timeout. */
export async function refuseOnce(
  superuser: Superuser,
  { table, event, condition }: Record<'table' | 'event' | 'condition', string>,
): Promise<AsyncDisposable> {
  await superuser.query(`
    create sequence refusals;
    create function refuse_once() returns trigger language plpgsql security definer as $$ begin
      if ${condition} and nextval('public.refusals') = 1 then
        raise exception using errcode = 'query_canceled', message = 'canceling statement due to statement timeout';
      end if;
      return new;
    end $$;
    create trigger refuse_once before ${event} on ${table} for each row execute function refuse_once()`)
  const end = `drop trigger refuse_once on ${table}; drop function refuse_once; drop sequence refusals`
  return { [Symbol.asyncDispose]: async () => void (await superuser.query(end)) }
}
