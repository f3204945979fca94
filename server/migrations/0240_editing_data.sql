-- migrate:up

alter table assets
  -- Frames per second of the source file, rounded to three decimals; null if the rate is variable or unknown.
  add column frame_rate double precision,
  -- Storage keys of the filmstrip and of the waveform.
  add column filmstrip_key text,
  add column waveform_key text;

alter table rendition_parts
  -- Maximum amplitude of the audio, twenty points per second; null for video, and for parts of older releases.
  add column peaks bytea;

-- migrate:down
