import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { configFolder } from './folders.ts'

/** Which service, whose organization, and the token to it. */
export type Profile = {
  readonly url: string
  readonly organization: string
  readonly token: string
}

type Environment = Record<string, string | undefined>

/** The environment counts more than what `login` kept. */
export async function readProfile(environment: Environment): Promise<Profile> {
  const profile = chosenProfile(environment, await keptProfile(environment))
  const missing = Object.entries(profile).filter(([, value]) => !value)
  if (missing.length === 0) return profile as Profile
  const variables = missing.map(([name]) => variableOf(name)).join(', ')
  throw new CommandError(
    'Nobody is logged in.',
    exitCodes.notAllowed,
    `Run \`reelkeep login\`, or set ${variables}.`,
  )
}

/** A token that was kept for one service is never sent to another that the environment names. */
export function chosenProfile(
  environment: Environment,
  kept: Partial<Profile> | undefined,
): Partial<Profile> {
  const { REELKEEP_URL, REELKEEP_ORGANIZATION: organization } = environment
  const url = REELKEEP_URL && withoutSlash(REELKEEP_URL)
  const isElsewhere = Boolean(url) && url !== kept?.url
  const known = isElsewhere ? undefined : kept
  return {
    ...withValue('url', url || known?.url),
    ...withValue('organization', organization || known?.organization),
    ...withValue('token', environment['REELKEEP_TOKEN'] || known?.token),
  }
}

/** The variables that count more than a profile and say something else than it. */
export const outvotingVariables = (environment: Environment, profile: Partial<Profile>): string[] =>
  (['url', 'organization', 'token'] as const)
    .filter((name) => {
      const value = environment[variableOf(name)]
      return value && (name === 'url' ? withoutSlash(value) : value) !== profile[name]
    })
    .map(variableOf)

const variableOf = (name: string) => `REELKEEP_${name.toUpperCase()}`

/** With it, the same service would look like another one. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const withValue = (name: keyof Profile, value: string | undefined) => ({ [name]: value ?? '' })

/** For its owner's eyes only, also if the file was there before, and whole at every moment. */
export async function keepProfile(environment: Environment, profile: Profile): Promise<string> {
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

/** Whether there was one. Nobody has to be able to read it: a damaged one holds a token, too. */
export async function forgetProfile(environment: Environment): Promise<boolean> {
  const file = profileFile(environment)
  try {
    await rm(file)
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw new CommandError(`${file} cannot be deleted: ${(error as Error).message}.`)
  }
}

const isAbsent = (error: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

export async function keptProfile(environment: Environment): Promise<Partial<Profile> | undefined> {
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
      `${file} is damaged.`,
      exitCodes.notAllowed,
      'Write it anew: reelkeep login',
    )
  }
}

const profileFile = (environment: Environment) => join(configFolder(environment), 'profile.json')
