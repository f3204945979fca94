import type { Provocations } from './provocations.ts'

/** As if the oldest event that is kept were a later one: days go by, and with them the tables. */
const forgetFirst = (organizationId: string) => ({
  text: `insert into event_logs (organization_id, last_number) values ($1, 7)
    on conflict (organization_id) do update set last_number = 7`,
  values: [organizationId],
})

export const eventProvocations = {
  listEvents: {
    events_expired: async ({ caller, superuser }) => {
      const { text, values } = forgetFirst(caller.organizationId)
      await superuser.query(text, values)
      return caller.get('events/?after=3')
    },
  },
} satisfies Partial<Provocations>
