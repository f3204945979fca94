import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { CoverField } from '../cover/cover-field.tsx'
import { EditableText } from '../edit/editable-text.tsx'
import { MetadataEditor } from '../edit/metadata-editor.tsx'
import { TagsField } from '../edit/tags-field.tsx'
import { useVideo } from '../video-context.tsx'
import styles from './details.module.css'
import { Facts } from './facts.tsx'
import { FolderField } from './folder-field.tsx'
import { HoldField } from './hold-field.tsx'
import { Section } from './section.tsx'

const DESCRIPTION_LENGTH_MAX = 5000
const EXTERNAL_ID_LENGTH_MAX = 255

/** Description, tags, folder, facts about the file, and metadata. */
export function Details() {
  const { t } = useLingui()
  const { can } = useOrganization()
  const { asset, canEdit } = useVideo()
  const { description, external_id: externalId } = asset
  return (
    <div className={styles.details}>
      <Section title={t`Description`}>
        <EditableText
          field="description"
          label={t`Description`}
          editLabel={t`Edit description`}
          lengthMax={DESCRIPTION_LENGTH_MAX}
          isMultiline
        >
          <p className={description === '' ? styles.empty : styles.text}>{description || t`No description`}</p>
        </EditableText>
      </Section>
      <Section title={t`Tags`}>
        <TagsField />
      </Section>
      <Section title={t`Folder`}>
        <FolderField />
      </Section>
      <Section title={t`Cover`}>
        <CoverField />
      </Section>
      <Section title={t`File`}>
        <Facts />
      </Section>
      <Section title={t`Metadata`}>
        <div>
          <p className={styles.name}>{t`External ID`}</p>
          <EditableText
            field="external_id"
            label={t`External ID`}
            editLabel={t`Edit external ID`}
            lengthMax={EXTERNAL_ID_LENGTH_MAX}
          >
            <p className={externalId === null ? styles.empty : styles.text}>{externalId ?? t`None`}</p>
          </EditableText>
        </div>
        <MetadataEditor />
      </Section>
      {canEdit && can('holds:write') && (
        <Section title={t`Protection from deletion`}>
          <HoldField />
        </Section>
      )}
    </div>
  )
}
