/** Event streams of a database of their own, because some tests break every connection to the database. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { about, type NewEvent, recordEvents } from '@reelkeep/server/modules/events/events.ts'
import {
  ApiProcess,
  Caller,
  EventFeed,
  type FeedMessage,
  type FeedOptions,
  newOrganization,
  openOwner,
  resetDatabase,
  Superuser,
  stackEnv,
  TestApi,
  withDatabase,
} from '@reelkeep/testkit'

export async function openStreamFixture(name: string) {
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const owner = openOwner(env)
  /** An instance that writes events; other instances serve the streams. */
  const writer = await TestApi.open({}, env)
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
    /** Records events through the writer, in one transaction. */
    write: (to: Caller, ...events: NewEvent[]) =>
      recordEvents(writer.context.database.forOrganization(to.organizationId as OrganizationId), ...events),
    /** Ends the connections of all instances whose application name matches; returns their number. */
    endConnections: async (name: string) => {
      const ended = await superuser.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where datname = current_database() and usename = 'reelkeep_api' and application_name like $1`,
        [name],
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
  more: Pick<FeedOptions, 'query' | 'lastEventId'> = {},
): Promise<EventFeed> => EventFeed.open({ baseUrl, caller, ...more })

export const folder = (title: string): NewEvent =>
  about('a folder', {
    type: 'folder.updated',
    data: { uuid: 'abc', title, parent: null, purge_at: null, external_id: null, metadata: {} },
  })

/** The title of the folder in a message. */
export const titleOf = ({ data }: FeedMessage): string => (data['data'] as { title: string }).title

export const titlesIn = ({ messages }: EventFeed): string[] => messages.map(titleOf)
