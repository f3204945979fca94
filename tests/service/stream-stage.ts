/** Streams on a database of their own, for some tests break every connection to it. */
import { about, type NewEvent, recordEvents } from '@reelkeep/server/capabilities/events/events.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import {
  ApiProcess,
  Caller,
  EventFeed,
  type FeedWish,
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  World,
  withDatabase,
} from '@reelkeep/testkit'

export async function openStreamStage(name: string) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const owner = openOwner(env)
  /** Another instance than those that are asked for streams. */
  const writer = await World.open({}, env)
  const superuser = await Superuser.open(env)
  return {
    env,
    superuser,
    startApi: (settings: Record<string, string> = {}) =>
      ApiProcess.start({ EVENT_STREAM_HEARTBEAT_SECONDS: '1', ...settings }, env),
    newCaller: async (api: ApiProcess) => {
      const { organizationId, token } = await newOrganization(owner)
      return new Caller(api.send, organizationId, token)
    },
    /** By the other instance, in one transaction. */
    write: (to: Caller, ...events: NewEvent[]) =>
      recordEvents(
        writer.context.database.forOrganization(to.organizationId as OrganizationId),
        ...events,
      ),
    /** Answers how many connections there were. */
    endConnections: async () => {
      const ended = await superuser.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and usename = 'reelkeep_api'`,
      )
      return ended.length
    },
    [Symbol.asyncDispose]: async () => {
      await writer[Symbol.asyncDispose]()
      await owner[Symbol.asyncDispose]()
      await superuser[Symbol.asyncDispose]()
    },
  }
}

export const follow = (
  { baseUrl }: ApiProcess,
  caller: Caller,
  more: Pick<FeedWish, 'query' | 'lastEventId'> = {},
): Promise<EventFeed> => EventFeed.open({ baseUrl, caller, ...more })

export const folder = (title: string): NewEvent =>
  about('a folder', { type: 'folder.updated', data: { uuid: 'abc', title, parent: null } })

/** What the folders were called of which a stream told. */
export const titlesIn = ({ messages }: EventFeed): string[] =>
  messages.map(({ data }) => (data['data'] as { title: string }).title)
