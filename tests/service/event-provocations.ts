import type { Provocations } from './provocations.ts'

/** As if the oldest event that is kept were a later one: days go by, and with them the tables. */
const forgetFirst = (organizationId: string) => ({
  text: `insert into event_logs (organization_id, last_number) values ($1, 7)
    on conflict (organization_id) do update set last_number = 7`,
  values: [organizationId],
})

/** So few that all of them are open before the first one ends, which is soon. */
export const STREAMS_MAX = 2

export const eventProvocations = {
  listEvents: {
    events_expired: async ({ caller, superuser }) => {
      const { text, values } = forgetFirst(caller.organizationId)
      await superuser.query(text, values)
      return caller.get('events/?after=3')
    },
  },
  streamEvents: {
    events_expired: async ({ caller, superuser }) => {
      const { text, values } = forgetFirst(caller.organizationId)
      await superuser.query(text, values)
      return caller.get('events/stream/', { 'last-event-id': '3' })
    },
    too_many_streams: async ({ caller }) => {
      // All but one last for a while; that one is answered at once.
      const all = Array.from({ length: STREAMS_MAX + 1 }, () => caller.get('events/stream/'))
      const refused = await Promise.race(all)
      await Promise.all(all)
      return refused
    },
  },
} satisfies Partial<Provocations>
