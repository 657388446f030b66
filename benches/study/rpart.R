# Learns the rpart tree of the 1-SE rule and predicts: Rscript rpart.R TRAIN TEST KINDS SEED PREDICTIONS
# KINDS has one letter a column: n for numbers, c for categories; the last column is the class.
suppressMessages(library(rpart))
words <- commandArgs(trailingOnly = TRUE)
kinds <- ifelse(strsplit(words[3], "")[[1]] == "n", "numeric", "character")
read <- function(file) {
  read.csv(file, colClasses = c(kinds, "character"), na.strings = "", check.names = FALSE)
}
train <- read(words[1])
test <- read(words[2])
names(train) <- names(test) <- c(paste0("x", seq_along(kinds)), "class")
# A factor must have the same levels in both; what was not there in training is missing.
for (column in names(train)[c(kinds == "character", TRUE)]) {
  train[[column]] <- factor(train[[column]])
  test[[column]] <- factor(test[[column]], levels = levels(train[[column]]))
}
set.seed(as.integer(words[4]))
grown <- rpart(class ~ ., train, method = "class", control = rpart.control(cp = 0, xval = 10))
steps <- as.data.frame(grown$cptable)
tree <- grown
if ("xerror" %in% names(steps)) {
  best <- which.min(steps$xerror)
  within <- steps$xerror <= steps$xerror[best] + steps$xstd[best]
  tree <- prune(grown, cp = steps$CP[which(within)[1]])
}
writeLines(as.character(predict(tree, test, type = "class")), words[5])
cat(sum(tree$frame$var == "<leaf>"), "\n")
