-- Where in the values of its chart a template has the domain, the ingress class, the platform's and the tenant's values.
-- Null: published before templates said so; as it was then.
alter table caelus.product_template_version
  add column layout_json jsonb check (jsonb_typeof(layout_json) = 'object');

-- What trying the template out told when it was published. Null: nobody tried.
alter table caelus.product_template_version
  add column inspection_json jsonb check (jsonb_typeof(inspection_json) = 'object');
