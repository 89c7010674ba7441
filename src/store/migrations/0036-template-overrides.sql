-- What a template sets over the defaults of its chart: only that is given to Helm. default_values_json goes on to hold both
-- together, for the form and the checks. Null: published before they were kept apart, so all of it is given as it always was,
-- and no release of it changes.
alter table caelus.product_template_version
  add column overrides_json jsonb check (jsonb_typeof(overrides_json) = 'object');
