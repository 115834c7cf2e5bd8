/* SPDX-License-Identifier: MIT */
#ifndef TACIT_H
#define TACIT_H

/* clang-format off */
/*
 * Tacit: differentially private models in a few passes over the data. Every call returns
 * TACIT_OK, or another status and a message in err.
 *
 *   tacit_config_init(&config);
 *   config.epsilon = 1;
 *   config.rows = 1000;
 *   config.schema = schema;
 *   status = tacit_train_new(&config, &train, &err);
 *   status = tacit_train_run(train, reader, &err);
 *   status = tacit_train_finish(train, &model, &err);
 *   status = tacit_model_save(model, "model.json", &err);
 *
 * Products beside the trainer, among them reports, budgets and private evaluations, are in
 * <tacit/extra/...>, a header for each.
 */
/* clang-format on */
#include <tacit/account.h>
#include <tacit/catalog.h>
#include <tacit/config.h>
#include <tacit/data.h>
#include <tacit/files.h>
#include <tacit/gradient.h>
#include <tacit/group.h>
#include <tacit/learner.h>
#include <tacit/loss.h>
#include <tacit/matrix.h>
#include <tacit/model.h>
#include <tacit/order.h>
#include <tacit/plan.h>
#include <tacit/schema.h>
#include <tacit/statement.h>
#include <tacit/status.h>
#include <tacit/table.h>
#include <tacit/train.h>
#include <tacit/version.h>

#endif
