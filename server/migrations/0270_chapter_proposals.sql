-- migrate:up

alter table assets
  -- Starts of scenes and ends of pauses, found when the file was processed; null for videos of older releases.
  add column chapter_proposals jsonb;

-- migrate:down

-- squawk-ignore ban-drop-column
alter table assets drop column chapter_proposals;
