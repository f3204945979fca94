import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configFolder, stateFolder } from './folders.ts'
import { chosenProfile, outvotingVariables } from './profile.ts'

const kept = { url: 'https://a.example', organization: 'acme12', token: 'secret' }

it('goes by the environment before the file', () => {
  expect(chosenProfile({}, kept)).toEqual(kept)
  const environment = { REELKEEP_URL: kept.url, REELKEEP_TOKEN: 'another' }
  expect(chosenProfile(environment, kept)).toEqual({ ...kept, token: 'another' })
})

it('sends no kept token to a service that the environment names', () => {
  const environment = { REELKEEP_URL: 'https://b.example', REELKEEP_ORGANIZATION: 'other1' }
  expect(chosenProfile(environment, kept)).toMatchObject({ token: '' })
})

it('knows the service by its address with a slash at the end, too', () => {
  expect(chosenProfile({ REELKEEP_URL: `${kept.url}/` }, kept)).toEqual(kept)
})

it('takes an empty variable for one that is not set', () => {
  const empty = { REELKEEP_URL: '', REELKEEP_ORGANIZATION: '', REELKEEP_TOKEN: '' }
  expect(chosenProfile(empty, kept)).toEqual(kept)
})

it('names the variables that say something else than a profile', () => {
  const same = {
    REELKEEP_URL: `${kept.url}/`,
    REELKEEP_TOKEN: kept.token,
    REELKEEP_ORGANIZATION: '',
  }
  expect(outvotingVariables(same, kept)).toEqual([])
  expect(outvotingVariables({ ...same, REELKEEP_TOKEN: 'another' }, kept)).toEqual([
    'REELKEEP_TOKEN',
  ])
  expect(outvotingVariables(same, {})).toEqual(['REELKEEP_URL', 'REELKEEP_TOKEN'])
})

it.each(['', 'here', './here'])('keeps nothing in the current folder for %j', (named) => {
  expect(configFolder({ XDG_CONFIG_HOME: named })).toBe(join(homedir(), '.config/reelkeep'))
  expect(stateFolder({ XDG_STATE_HOME: named })).toBe(join(homedir(), '.local/state/reelkeep'))
})
