/** The fields of a JSON schema as a tree, for display. */
import type { Schema } from './openapi.ts'

export type Field = {
  readonly name: string
  /** Such as `string`, `integer or null`, `array of string`. */
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  readonly values: readonly string[]
  readonly defaultValue: string | undefined
  readonly fields: readonly Field[]
}

/** Deeper levels are left out; the OpenAPI document has them. */
const DEPTH_MAX = 5

export function fieldsOf(schema: Schema | undefined, depth = 0): Field[] {
  const object = objectIn(schema)
  if (!object?.properties || depth === DEPTH_MAX) return []
  return Object.entries(object.properties).map(([name, property]) => ({
    name,
    type: typeOf(property),
    isRequired: object.required?.includes(name) ?? false,
    description: property.description ?? '',
    values: valuesOf(property),
    defaultValue: property.default === undefined ? undefined : JSON.stringify(property.default),
    fields: fieldsOf(property, depth + 1),
  }))
}

/** The object that the schema describes: itself, its items, or the alternative that is an object. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  if (!schema || schema.properties) return schema
  if (schema.items) return objectIn(schema.items)
  return schema.anyOf?.map(objectIn).find((alternative) => alternative?.properties)
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `array of ${schema.items ? typeOf(schema.items) : 'any'}`
  if (schema.type !== undefined) return schema.type
  return schema.const === undefined ? 'any' : typeof schema.const
}

function valuesOf(schema: Schema): string[] {
  if (schema.const !== undefined) return [String(schema.const)]
  if (schema.enum) return schema.enum.map(String)
  if (schema.items) return valuesOf(schema.items)
  return (schema.anyOf ?? []).flatMap(valuesOf)
}
