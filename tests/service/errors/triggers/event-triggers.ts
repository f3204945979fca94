import type { ErrorTriggers } from './triggers.ts'

/** Simulates that older events were deleted with their partitions. */
const forgetFirst = (organizationId: string) => ({
  text: `insert into event_logs (organization_id, last_number) values ($1, 7)
    on conflict (organization_id) do update set last_number = 7`,
  values: [organizationId],
})

/** Maximum number of streams: few enough that all are open before the first one ends. */
export const STREAMS_MAX = 2

export const eventTriggers = {
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
      // All streams except one stay open for a while; the rejected request gets its response at once.
      const all = Array.from({ length: STREAMS_MAX + 1 }, () => caller.get('events/stream/'))
      const rejected = await Promise.race(all)
      await Promise.all(all)
      return rejected
    },
  },
} satisfies Partial<ErrorTriggers>
