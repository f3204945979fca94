/** Shared by all admin commands: types, options and usage errors. */
import { parseArgs } from 'node:util'
import type { AdminConfig, CellsConfig } from '../../platform/config/env.ts'
import type { Database } from '../../platform/db/database.ts'
import { type CommandIo, UsageError } from '../command-io.ts'

/** A command. Its result is printed: one line per key, or per row of a list. */
export type Command = (database: Database, args: Arguments, config: AdminConfig, io: CommandIo) => Promise<object>

export type Commands = Readonly<Record<string, Command>>

/** A command for all cells. Its result is printed; a string is printed unchanged. */
export type CellCommand = (args: Arguments, config: CellsConfig, io: CommandIo) => Promise<object | string>

export type CellCommands = Readonly<Record<string, CellCommand>>

export type Arguments = ReturnType<typeof readArguments>

export function readArguments(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      id: { type: 'string' },
      owner: { type: 'string' },
      scope: { type: 'string', multiple: true },
      'expires-at': { type: 'string' },
      descendants: { type: 'boolean', default: false },
      origin: { type: 'string', multiple: true },
      'stored-bytes': { type: 'string' },
      assets: { type: 'string' },
      'encoded-minutes': { type: 'string' },
      'open-sessions': { type: 'string' },
      network: { type: 'string', multiple: true },
      confirm: { type: 'string' },
      cancel: { type: 'string' },
      days: { type: 'string' },
      now: { type: 'boolean', default: false },
      'despite-legal-hold': { type: 'boolean', default: false },
      job: { type: 'string' },
      backup: { type: 'boolean', default: false },
      relink: { type: 'boolean', default: false },
      retry: { type: 'boolean', default: false },
      'delete-orphans': { type: 'boolean', default: false },
      'orphans-max': { type: 'string' },
      to: { type: 'string' },
      cell: { type: 'string' },
      'no-follow': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      env: { type: 'boolean', default: false },
    },
  })
}

export function needed<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new UsageError(`${name} is missing.`)
  return value
}
