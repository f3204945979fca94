/** Reads the workflows of GitHub Actions, and validates them with the parser of GitHub's own editor tools. */
import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit/settings'
import { parse } from 'yaml'

export type Step = {
  readonly name?: string
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
}

export type Job = {
  readonly needs?: string | readonly string[]
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly container?: { readonly image: string }
  readonly env?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> }
  readonly steps?: readonly Step[]
}

export type Workflow = {
  readonly file: string
  readonly text: string
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = join(root, '.github/workflows')

export const workflows: readonly Workflow[] = readdirSync(folder)
  .sort()
  .map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return { file, text, ...(parse(text) as Omit<Workflow, 'file' | 'text'>) }
  })

/** The package imports JSON files without the attribute that Node requires. */
const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    return specifier.endsWith('.json') ? { ...resolved, importAttributes: { type: 'json' } } : resolved
  },
})
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import('@actions/workflow-parser')
hooks.deregister()

/** Violations of the syntax of workflows, also in expressions. */
export async function workflowErrors(text: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name: 'workflow', content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}
