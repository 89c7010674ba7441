-- Whether charts of a host must be signed, and by which keys: OpenPGP, public, in ASCII armor. Null: those of the platform.
alter table caelus.chart_source
  add column verification text not null default 'none' check (verification in ('none', 'required')),
  add column keyring text;

-- Who had signed the chart when it was published. Null: nobody asked.
alter table caelus.product_template_version
  add column signed_by_json jsonb check (jsonb_typeof(signed_by_json) = 'object');
