import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Returns our folder in a base folder. According to the XDG specification, an empty or relative path counts as not set.
 */
const baseFolder = (named: string | undefined, usual: string) =>
  join(named && isAbsolute(named) ? named : join(homedir(), usual), 'reelkeep')

type Environment = Record<string, string | undefined>

export const configFolder = (environment: Environment): string => baseFolder(environment['XDG_CONFIG_HOME'], '.config')

export const stateFolder = (environment: Environment): string =>
  baseFolder(environment['XDG_STATE_HOME'], join('.local', 'state'))
