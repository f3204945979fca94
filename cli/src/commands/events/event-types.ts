import type { Option } from 'commander'
import { setOption } from '../../arguments/sets.ts'
import { eventTypes } from '../../arguments/values.ts'

export const typesOption = (): Option =>
  setOption('--types <types>', 'only these kinds; asset.* stands for all that begin so', eventTypes)
