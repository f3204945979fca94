import { expect, it } from 'vitest'
import { openCommandFixture } from '../../../testing/command-fixture.ts'
import { connect } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { createTestAsset } from './test-asset.ts'

it('a test asset that is created while Ctrl-C is pressed can be deleted', async () => {
  await using fixture = await openCommandFixture(() => {
    fixture.interrupt()
    return { status: 201, body: { asset: { id: 'test' } } }
  })
  const createdAssets: string[] = []
  const context = {
    ...{ profile: await readProfile(fixture.cli.environment), origin: undefined, waitSeconds: 1 },
    ...{
      reelkeep: await connect(fixture.cli),
      signal: fixture.cli.interrupted,
      createdAssets,
      shared: {},
    },
  }
  await createTestAsset(context)
  expect(createdAssets).toEqual(['test'])
})
