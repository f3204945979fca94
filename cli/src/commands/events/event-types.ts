import type { Option } from 'commander'
import { setOption } from '../../arguments/sets.ts'
import { eventTypes } from '../../arguments/values.ts'

export const typesOption = (): Option =>
  setOption('--types <types>', 'Only these event types; asset.* matches all that start with asset.', eventTypes)
