import { Command, Help, type Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'
import { accessTokensCommand } from './commands/access-tokens.ts'
import { loginCommand } from './commands/account/login.ts'
import { logoutCommand } from './commands/account/logout.ts'
import { whoamiCommand } from './commands/account/whoami.ts'
import { assetsCommand } from './commands/assets/assets.ts'
import { versionsCommand } from './commands/assets/versions.ts'
import { auditCommand } from './commands/audit/audit.ts'
import { bulkCommand } from './commands/bulk/bulk.ts'
import { chaptersCommand } from './commands/chapters/chapters.ts'
import { clipsCommand } from './commands/clips/clips.ts'
import { doctorCommand } from './commands/doctor/doctor.ts'
import { eventsCommand } from './commands/events/events.ts'
import { foldersCommand } from './commands/folders/folders.ts'
import { mcpCommand } from './commands/mcp.ts'
import { organizationCommand } from './commands/organization/organization.ts'
import { usageCommand } from './commands/organization/usage.ts'
import { invitationsCommand } from './commands/people/invitations.ts'
import { membersCommand } from './commands/people/members.ts'
import { rolesCommand } from './commands/people/roles.ts'
import { searchCommand } from './commands/search.ts'
import { sessionsCommand } from './commands/sessions.ts'
import { signingKeysCommand } from './commands/signing-keys.ts'
import { subtitlesCommand } from './commands/subtitles.ts'
import { tokensCommand } from './commands/tokens.ts'
import { trashCommand } from './commands/trash.ts'
import { uploadCommand } from './commands/upload/upload-command.ts'
import { webhooksCommand } from './commands/webhooks/webhooks.ts'
import { addCompletion } from './completion/completion.ts'

export function buildProgram(cli: Cli): Command {
  const program = new Command('reelkeep')
    .description('Upload and manage videos in Reelkeep')
    .version(manifest.version, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .option('--json', 'Print JSON')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      // With --json, `main` prints errors as JSON, so commander must not print them or the help.
      writeErr: (text) => {
        if (!cli.output().isJson) process.stderr.write(text)
      },
      outputError: (text, write) => {
        if (!cli.output().isJson) write(text)
      },
    })
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions })
    .addCommand(uploadCommand(cli))
    .addCommand(loginCommand(cli))
    .addCommand(logoutCommand(cli))
    .addCommand(whoamiCommand(cli))
    .addCommand(assetsCommand(cli))
    .addCommand(searchCommand(cli))
    .addCommand(foldersCommand(cli))
    .addCommand(trashCommand(cli))
    .addCommand(bulkCommand(cli))
    .addCommand(versionsCommand(cli))
    .addCommand(chaptersCommand(cli))
    .addCommand(clipsCommand(cli))
    .addCommand(subtitlesCommand(cli))
    .addCommand(sessionsCommand(cli))
    .addCommand(accessTokensCommand(cli))
    .addCommand(signingKeysCommand(cli))
    .addCommand(eventsCommand(cli))
    .addCommand(webhooksCommand(cli))
    .addCommand(tokensCommand(cli))
    .addCommand(membersCommand(cli))
    .addCommand(invitationsCommand(cli))
    .addCommand(rolesCommand(cli))
    .addCommand(auditCommand(cli))
    .addCommand(organizationCommand(cli))
    .addCommand(usageCommand(cli))
    .addCommand(doctorCommand(cli))
    .addCommand(mcpCommand(cli))
  addCompletion(program, cli)
  inherit(program)
  return program
}

/** Lists options of parent commands, without those that the command has itself, as `events list` has. */
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  const own = new Set(command.options.map(({ flags }) => flags))
  return Help.prototype.visibleGlobalOptions.call(this, command).filter(({ flags }) => !own.has(flags))
}

/** Copies error handling to subcommands, which do not inherit it because they were created separately. */
function inherit(command: Command): void {
  for (const child of command.commands) inherit(child.copyInheritedSettings(command))
}
