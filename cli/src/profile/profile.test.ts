import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configFolder, stateFolder } from './folders.ts'
import { mergeProfile, overridingVariables } from './profile.ts'

const saved = { url: 'https://a.example', organization: 'acme12', token: 'secret' }

it('the environment takes precedence over the saved profile', () => {
  expect(mergeProfile({}, saved)).toEqual(saved)
  const environment = { REELKEEP_URL: saved.url, REELKEEP_TOKEN: 'another' }
  expect(mergeProfile(environment, saved)).toEqual({ ...saved, token: 'another' })
})

it('a saved token is not sent to another service that the environment names', () => {
  const environment = { REELKEEP_URL: 'https://b.example', REELKEEP_ORGANIZATION: 'other1' }
  expect(mergeProfile(environment, saved)).toMatchObject({ token: '' })
})

it('a trailing slash of the URL is ignored', () => {
  expect(mergeProfile({ REELKEEP_URL: `${saved.url}/` }, saved)).toEqual(saved)
})

it('an empty variable counts as not set', () => {
  const empty = { REELKEEP_URL: '', REELKEEP_ORGANIZATION: '', REELKEEP_TOKEN: '' }
  expect(mergeProfile(empty, saved)).toEqual(saved)
})

it('overridingVariables returns the environment variables whose values differ from the profile', () => {
  const same = {
    REELKEEP_URL: `${saved.url}/`,
    REELKEEP_TOKEN: saved.token,
    REELKEEP_ORGANIZATION: '',
  }
  expect(overridingVariables(same, saved)).toEqual([])
  expect(overridingVariables({ ...same, REELKEEP_TOKEN: 'another' }, saved)).toEqual(['REELKEEP_TOKEN'])
  expect(overridingVariables(same, {})).toEqual(['REELKEEP_URL', 'REELKEEP_TOKEN'])
})

it.each(['', 'here', './here'])('a relative XDG folder is ignored: %j', (named) => {
  expect(configFolder({ XDG_CONFIG_HOME: named })).toBe(join(homedir(), '.config/reelkeep'))
  expect(stateFolder({ XDG_STATE_HOME: named })).toBe(join(homedir(), '.local/state/reelkeep'))
})
