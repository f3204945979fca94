import { Command } from 'commander'
import type { Role, UpdateRoleBody } from 'reelkeep'
import { setOption } from '../../arguments/sets.ts'
import { scopes } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderFields } from '../../terminal/fields.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import type { Style } from '../../terminal/style.ts'
import { type Column, renderTable } from '../../terminal/table.ts'
import { printable } from '../../terminal/width.ts'

export function rolesCommand(cli: Cli): Command {
  return new Command('roles')
    .description('Manage the roles of members')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(create(cli))
    .addCommand(update(cli))
    .addCommand(deletion(cli))
}

const columns: readonly Column<Role>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name, mayShrink: true },
  { title: 'members', cell: ({ member_count }) => String(member_count) },
  { title: 'scopes', cell: ({ scopes }) => scopes.join(', '), mayShrink: true, rank: 1 },
]

const list = (cli: Cli) =>
  new Command('list').description('List all roles').action(async () => {
    const { results } = await (await connect(cli)).roles.list()
    cli.output().result(results, (style) => renderTable(columns, results, style))
  })

const onRole = (name: string, description: string) =>
  new Command(name).description(description).argument('<role>', 'Role id')

const show = (cli: Cli) =>
  onRole('show', 'Show a role').action(async (id: string) => {
    const role = await (await connect(cli)).roles.read(id)
    cli.output().result(role, (style) => renderRole(role, style))
  })

type RoleScope = NonNullable<UpdateRoleBody['scopes']>[number]

const scopesOption = () =>
  setOption(
    '--scopes <scopes>',
    'What members with the role may do',
    scopes.filter((scope) => scope !== '*'),
  )

type CreateOptions = { readonly scopes: readonly RoleScope[]; readonly description?: string }

const create = (cli: Cli) =>
  new Command('create')
    .description('Create a custom role')
    .argument('<name>', 'Name of the role')
    .addOption(scopesOption().makeOptionMandatory())
    .option('--description <text>', 'Description')
    .action(async (name: string, { scopes, description }: CreateOptions) => {
      const role = await (await connect(cli)).roles.create({
        name,
        scopes: [...new Set(scopes)],
        ...(description !== undefined && { description }),
      })
      cli.output().result(role, (style) => renderRole(role, style))
    })

type UpdateOptions = Partial<CreateOptions> & { readonly name?: string }

const update = (cli: Cli) =>
  onRole('update', 'Change a custom role, and the scopes of all members who have it')
    .option('--name <name>', 'New name')
    .addOption(scopesOption())
    .option('--description <text>', 'Description')
    .action(async (id: string, { scopes, ...texts }: UpdateOptions) => {
      const change = { ...texts, ...(scopes && { scopes: [...new Set(scopes)] }) }
      if (Object.keys(change).length === 0)
        throw new CommandError('Nothing to change. Use --name, --scopes or --description.', exitCodes.usage)
      const role = await (await connect(cli)).roles.update(id, change)
      cli.output().result(role, (style) => renderRole(role, style))
    })

const deletion = (cli: Cli) =>
  onRole('delete', 'Delete a custom role that is not in use')
    .option('--yes', 'Skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }) => {
      const { roles } = await connect(cli)
      const { name } = await roles.read(id)
      await mustConfirm(cli, { question: `Delete the role ${name}?`, yes })
      await roles.delete(id)
      cli.output().result({ id, deleted: true }, () => `Deleted the role ${printable(name)}.`)
    })

const renderRole = (role: Role, style: Style): string =>
  renderFields(
    [
      ['role', role.name, (text) => style.paint('bold', text)],
      ['id', role.id],
      ['description', role.description],
      ['scopes', role.scopes.join(', ')],
      ['members', role.member_count],
      ['built in', role.built_in ? 'yes' : 'no'],
    ],
    style,
  )
