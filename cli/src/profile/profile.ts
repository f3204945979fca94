import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { configFolder } from './folders.ts'

/** Service, organization and token. */
export type Profile = {
  readonly url: string
  readonly organization: string
  readonly token: string
}

type Environment = Record<string, string | undefined>

/** Reads the profile. The environment takes precedence over the saved login. */
export async function readProfile(environment: Environment): Promise<Profile> {
  const profile = mergeProfile(environment, await savedProfile(environment))
  const missing = Object.entries(profile).filter(([, value]) => !value)
  if (missing.length === 0) return profile as Profile
  const variables = missing.map(([name]) => variableOf(name)).join(', ')
  throw new CommandError('You are not logged in.', exitCodes.notAllowed, `Run \`reelkeep login\`, or set ${variables}.`)
}

/**
 * Merges the environment and the saved login. A saved token is never sent to another service that the
 * environment names.
 */
export function mergeProfile(environment: Environment, saved: Partial<Profile> | undefined): Partial<Profile> {
  const { REELKEEP_URL, REELKEEP_ORGANIZATION: organization } = environment
  const url = REELKEEP_URL && withoutSlash(REELKEEP_URL)
  const isElsewhere = Boolean(url) && url !== saved?.url
  const known = isElsewhere ? undefined : saved
  return {
    ...withValue('url', url || known?.url),
    ...withValue('organization', organization || known?.organization),
    ...withValue('token', environment['REELKEEP_TOKEN'] || known?.token),
  }
}

/** Returns the names of environment variables whose values differ from the profile. */
export const overridingVariables = (environment: Environment, profile: Partial<Profile>): string[] =>
  (['url', 'organization', 'token'] as const)
    .filter((name) => {
      const value = environment[variableOf(name)]
      return value && (name === 'url' ? withoutSlash(value) : value) !== profile[name]
    })
    .map(variableOf)

const variableOf = (name: string) => `REELKEEP_${name.toUpperCase()}`

/** Removes a trailing slash, because the URL names the same service with and without it. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const withValue = (name: keyof Profile, value: string | undefined) => ({ [name]: value ?? '' })

/** Saves the profile atomically, in a file that only its owner can read, even if the file existed before. */
export async function saveProfile(environment: Environment, profile: Profile): Promise<string> {
  const file = profileFile(environment)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return file
}

/** Deletes the profile. Returns whether it existed. Also deletes an invalid file, which may contain a token. */
export async function deleteProfile(environment: Environment): Promise<boolean> {
  const file = profileFile(environment)
  try {
    await rm(file)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw new CommandError(`${file} cannot be deleted: ${(error as Error).message}.`)
  }
}

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

export async function savedProfile(environment: Environment): Promise<Partial<Profile> | undefined> {
  const file = profileFile(environment)
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    if (isAbsent(error)) return undefined
    throw new CommandError(`${file} cannot be read: ${error.message}.`, exitCodes.notAllowed)
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) ?? {}
  } catch {
    throw new CommandError(
      `${file} is not valid JSON.`,
      exitCodes.notAllowed,
      'Log in again to replace it: reelkeep login',
    )
  }
}

const profileFile = (environment: Environment) => join(configFolder(environment), 'profile.json')
