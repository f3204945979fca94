/**
 * Checks that each family of events has a test file that records all of its types. The file itself checks at its end
 * that it has recorded all of them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { events as contract } from '@reelkeep/contract'
import { expect, it } from 'vitest'

/** Events about webhooks and the audit log are tested elsewhere. */
const families = new Set(
  contract.eventTypes
    .map((type) => type.slice(0, type.indexOf('.')))
    .filter((one) => one !== 'webhook' && one !== 'audit'),
)

it.for([...families])('a test file records every type of event about %s', (family) => {
  const directory = import.meta.dirname
  const claims = readdirSync(directory)
    .filter((name) => /^recorded-.*\.test\.ts$/.test(name))
    .filter((name) =>
      readFileSync(`${directory}/${name}`, 'utf8').includes(
        `afterAll(() => expect(recorder.unseenTypes('${family}')).toEqual([]))`,
      ),
    )
  expect(claims).toHaveLength(1)
})
