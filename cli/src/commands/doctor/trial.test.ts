import { expect, it } from 'vitest'
import { openCommandStand } from '../../../testing/command-stand.ts'
import { connect } from '../../cli.ts'
import { readProfile } from '../../profile/profile.ts'
import { openTrial } from './trial.ts'

it('is known, and so deleted, when Ctrl-C comes while its answer is on the way', async () => {
  await using stand = await openCommandStand(() => {
    stand.interrupt()
    return { status: 201, body: { asset: { id: 'trial' } } }
  })
  const made: string[] = []
  const patient = {
    ...{ profile: await readProfile(stand.cli.environment), origin: undefined, waitSeconds: 1 },
    ...{ reelkeep: await connect(stand.cli), signal: stand.cli.interrupted, made, seen: {} },
  }
  await openTrial(patient)
  expect(made).toEqual(['trial'])
})
