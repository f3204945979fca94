import type { Option } from 'commander'
import { eventTypes } from 'reelkeep'
import { setOption } from '../../arguments/sets.ts'

export const typesOption = (): Option =>
  setOption('--types <types>', 'Only these event types; asset.* matches all that start with asset.', eventTypes)
